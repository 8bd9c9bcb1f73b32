# Completions of rattleback for bash.

_rattleback_options() {
  case $1 in
    run)
      echo --method --step --steps --time --every --set --out --force --json --quiet --resume \
        --checkpoint-every --multipliers --modified-energy --plot --plot-coordinates --report --help
      ;;
    check) echo --set --json --all-methods --help ;;
    compare) echo --methods --step --step-halvings --time --accuracy --set --plot --json --quiet --help ;;
    methods) echo --json --complete --help ;;
    plot) echo --plot-coordinates --help ;;
    reproduce) echo --out --picture --json --help ;;
    report) echo --help ;;
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

# The program knows what a method may become. Bash cuts words at : and =, so what was typed is put
# together again, and what stands before the last cut is left out of the answers.
_rattleback_method() {
  local typed=$1 cut= answer
  if [[ $COMP_WORDBREAKS == *:* && $COMP_WORDBREAKS == *=* ]]; then
    cut=${typed%"${typed##*[:=]}"}
  fi
  while IFS= read -r answer; do
    COMPREPLY+=("${answer#"$cut"}")
  done < <(rattleback methods --complete "$typed" 2>/dev/null)
  compopt +o filenames -o nospace 2>/dev/null
}

_rattleback() {
  local typed=${COMP_LINE:0:COMP_POINT}
  local last=${typed##* } start=${typed% *}
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=
  if ((COMP_CWORD > 1)); then verb=${COMP_WORDS[1]}; fi
  COMPREPLY=()
  case ${start##* } in
    --method | --methods)
      _rattleback_method "$last"
      return
      ;;
  esac
  case $before in
    --out) _rattleback_files "$word" h5 csv npy && return ;;
    --resume) _rattleback_files "$word" h5 csv && return ;;
    --plot) _rattleback_files "$word" svg png && return ;;
    --report) _rattleback_files "$word" html && return ;;
    --step | --steps | --time | --every | --set | --checkpoint-every | --step-halvings | --accuracy) return ;;
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
    methods) _rattleback_method "$last" ;;
    *) _rattleback_files "$word" toml ;;
  esac
}

complete -o filenames -F _rattleback rattleback
