import { FareboxError } from '@farebox/client'
import type { Command } from 'commander'

/** A script that completes the commands and options, for `bash`, `zsh` or `fish`. */
export function completionScript(shell: string, root: Command): string {
  const commands = root.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    options: [...command.options, ...root.options].flatMap(({ long }) => (long ? [long] : [])),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  }))
  switch (shell) {
    case 'bash':
      return bash(commands)
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
    case 'fish':
      return fish(commands)
    default:
      throw new FareboxError('invalid_option', 'The shell must be bash, zsh or fish.')
  }
}

type Completed = {
  readonly name: string
  readonly about: string
  readonly options: readonly string[]
  /** The values of its arguments, where they are known. */
  readonly choices: readonly string[]
}

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(
    ({ name, options, choices }) => `    ${name}) words="${[...choices, ...options].join(' ')}" ;;`,
  )
  return `_farebox() {
  local words="${commands.map(({ name }) => name).join(' ')}"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${commands.map(({ name }) => name).join(' ')}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _farebox farebox`
}

function fish(commands: readonly Completed[]): string {
  return commands
    .flatMap(({ name, about, options, choices }) => [
      `complete -c farebox -f -n __fish_use_subcommand -a ${name} -d '${about.replaceAll("'", '')}'`,
      ...choices.map(
        (choice) => `complete -c farebox -f -n '__fish_seen_subcommand_from ${name}' -a ${choice}`,
      ),
      ...options.map(
        (option) =>
          `complete -c farebox -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ])
    .join('\n')
}
