import { spawnSync } from 'node:child_process'

export type Outcome = { readonly succeeded: boolean; readonly output: string }

/** Runs a program until it exits and returns its output. */
export function run(program: string, args: readonly string[], cwd: string): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  const output = [stdout, stderr, error?.message].filter((text) => Boolean(text)).join('')
  return { succeeded: status === 0, output: output.trim() }
}
