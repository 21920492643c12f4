import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasStrace } from '../../../../scripts/testing/strace.ts'
import { sqliteTestLedger } from './test-ledgers.ts'
import { writerArguments } from './writer-process.ts'

/** The system calls that flush to disk and that acknowledge a claim. */
async function tracedCalls(url: string, width: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-strace-'))
  const trace = join(folder, 'trace')
  const call = 'trace=fsync,fdatasync,write,pwrite64'
  const node = [process.execPath, ...writerArguments({ url, first: 0, width, limit: 5 * width })]
  // Filtering in the kernel leaves all other calls at full speed.
  const options = ['-f', '--seccomp-bpf', '-y', '-s', '48', '-e', call, '-o', trace]
  const child = spawn('strace', [...options, ...node], { stdio: 'ignore' })
  await once(child, 'exit')
  const lines = readFileSync(trace, 'utf8').split('\n')
  rmSync(folder, { recursive: true, force: true })
  return joinSplitSyncs(lines)
}

/**
 * The trace with each flush on one line, where it ended. strace splits a call into
 * `12 fdatasync(5<file> <unfinished ...>` and `12 <... fdatasync resumed>) = 0` when another thread
 * makes a call meanwhile.
 */
function joinSplitSyncs(lines: readonly string[]): readonly string[] {
  const started = new Map<string, string>()
  return lines.flatMap((line) => {
    const [thread = ''] = line.split(' ', 1)
    if (/sync\(.*<unfinished/.test(line)) {
      started.set(thread, line.replace(/ *<unfinished.*/, ''))
      return []
    }
    const end = /<\.\.\. f(?:data)?sync resumed>(.*)/.exec(line)?.[1]
    return [end === undefined ? line : `${started.get(thread) ?? ''}${end}`]
  })
}

const isAcknowledgement = (line: string): boolean => /write\(1[^,]*, "claimed /.test(line)
const isCommitOnDisk = (line: string): boolean => /f(data)?sync\(\d+<[^>]*-wal>\) += 0/.test(line)

describe.skipIf(!hasStrace())('the order of system calls', () => {
  test.each([1, 16])(
    'with %i claims at once, none is acknowledged before its commit is on disk',
    async (width) => {
      const ledger = await sqliteTestLedger()
      try {
        const calls = await tracedCalls(ledger.url, width)
        const relevant = calls.filter((line) => isAcknowledgement(line) || isCommitOnDisk(line))
        const first = calls.findIndex(isAcknowledgement)
        const written = calls
          .slice(0, first)
          .findLastIndex((line) => /pwrite64\(.*-wal>/.test(line))
        const flushed = calls.slice(0, first).findLastIndex(isCommitOnDisk)
        expect(written).toBeGreaterThan(0)
        expect(flushed).toBeGreaterThan(written)
        const acknowledged = relevant.filter(isAcknowledgement).length
        const flushes = relevant.filter(isCommitOnDisk).length
        expect(acknowledged).toBe(5 * width)
        // Each flush allows at most one group of acknowledgements.
        let allowed = 0
        for (const line of relevant) {
          allowed = isCommitOnDisk(line) ? width : allowed - 1
          expect(allowed).toBeGreaterThanOrEqual(0)
        }
        if (width > 1) expect(flushes).toBeLessThan(acknowledged / 4)
      } finally {
        await ledger.dispose()
      }
    },
  )
})
