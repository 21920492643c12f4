import type { Command } from 'commander'
import type { CommandIo } from './command-io.ts'
import { printable } from './printable.ts'

export type Result = { readonly json: unknown; readonly text: string }

/** Writes a result as JSON if `--json` is given, otherwise as `text`. */
export function writeResult(command: Command, io: CommandIo, { json, text }: Result): void {
  io.write(wantsJson(command) ? `${JSON.stringify(json, undefined, 2)}\n` : `${printable(text)}\n`)
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: true }>().json === true
}
