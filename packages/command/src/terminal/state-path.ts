import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CommandIo } from './command-io.ts'

/** The path of a file that the command keeps for its user. */
export function statePath(
  name: string,
  { XDG_STATE_HOME: state, HOME: home }: CommandIo['environment'],
): string {
  return join(state || join(home || homedir(), '.local', 'state'), 'farebox', name)
}
