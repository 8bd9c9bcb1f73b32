# Completions of rattleback for bash.

_rattleback_options() {
  case $1 in
    run)
      echo --method --step --steps --time --every --set --out --json --quiet --resume \
        --checkpoint-every --multipliers --plot --plot-coordinates --report --help
      ;;
    check) echo --set --json --help ;;
    compare) echo --methods --step --step-halvings --time --set --plot --json --quiet --help ;;
    methods) echo --json --help ;;
    plot) echo --plot-coordinates --help ;;
    reproduce | report) echo --help ;;
    *) echo run check compare methods plot reproduce report --help --version ;;
  esac
}

# Files with one of these endings, and folders to look further in.
_rattleback_files() {
  local word=$1 ending file
  shift
  for ending in "$@"; do
    while IFS= read -r file; do
      if [[ -d $file || $file == *."$ending" ]]; then COMPREPLY+=("$file"); fi
    done < <(compgen -f -- "$word")
  done
}

_rattleback() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=
  if ((COMP_CWORD > 1)); then verb=${COMP_WORDS[1]}; fi
  COMPREPLY=()
  case $before in
    --method | --methods)
      mapfile -t COMPREPLY < <(compgen -W "auto $(rattleback methods 2>/dev/null |
        awk 'NR > 1 {sub(":.*", "", $1); print $1}' | sort -u)" -- "$word")
      return
      ;;
    --out) _rattleback_files "$word" h5 csv npy && return ;;
    --resume) _rattleback_files "$word" h5 csv && return ;;
    --plot) _rattleback_files "$word" svg png && return ;;
    --report) _rattleback_files "$word" html && return ;;
    --step | --steps | --time | --every | --set | --checkpoint-every | --step-halvings) return ;;
    --plot-coordinates) return ;;
    --multipliers)
      mapfile -t COMPREPLY < <(compgen -W 'kept minimal' -- "$word")
      return
      ;;
  esac
  if [[ $word == -* || -z $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_rattleback_options "$verb")" -- "$word")
    return
  fi
  case $verb in
    plot) _rattleback_files "$word" h5 svg png ;;
    methods) ;;
    *) _rattleback_files "$word" toml ;;
  esac
}

complete -o filenames -F _rattleback rattleback
