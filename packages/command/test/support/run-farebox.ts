import { fareboxCommand } from '../../src/farebox-command.ts'
import { exitCode } from '../../src/terminal/exit-code.ts'

export type Run = {
  readonly environment: Readonly<Record<string, string>>
  /** Lines that a person types; without them, `piped` is standard input. */
  readonly lines?: readonly string[] | undefined
  readonly piped?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onWrite?: ((text: string) => void) | undefined
}

/** Standard output, standard error followed by the error that ended the run, and the exit status. */
export type Output = { readonly out: string; readonly notes: string; readonly status: number }

/** Runs the `farebox` command in this process. */
export async function runFarebox(args: readonly string[], run: Run): Promise<Output> {
  const out: string[] = []
  const notes: string[] = []
  const { environment, lines, piped = '', signal = new AbortController().signal, onWrite } = run
  const command = fareboxCommand({
    environment,
    write(text) {
      out.push(text)
      onWrite?.(text)
    },
    note: (text) => notes.push(`${text}\n`),
    progress: (text) => notes.push(text),
    colors: false,
    lines:
      lines &&
      async function* () {
        yield* lines
      },
    piped: async () => piped,
    signal,
  })
  const status = await command.parseAsync(args, { from: 'user' }).then(
    () => 0,
    (error: unknown) => {
      notes.push(String(error))
      return exitCode(error)
    },
  )
  return { out: out.join(''), notes: notes.join(''), status }
}
