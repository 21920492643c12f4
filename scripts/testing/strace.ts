import { spawnSync } from 'node:child_process'
import { announceSkip } from './announce-skip.ts'

/** Whether system calls can be traced; if not, a line on standard error says what is missing. */
export function hasStrace(): boolean {
  if (spawnSync('strace', ['-V']).status === 0) return true
  announceSkip('strace', 'install strace on Linux')
  return false
}
