import { spawnSync } from 'node:child_process'

export type Outcome = { readonly succeeded: boolean; readonly output: string }

type Place = {
  readonly cwd: string
  /** Environment variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program until it exits and returns its output. */
export function run(program: string, args: readonly string[], { cwd, env }: Place): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', ...env },
  })
  const output = [stdout, stderr, error?.message].filter((text) => Boolean(text)).join('')
  return { succeeded: status === 0, output: output.trim() }
}
