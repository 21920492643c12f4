import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasStrace } from '../../../../scripts/testing/strace.ts'
import { sqlitePlace } from './places.ts'
import { writerArguments } from './writer-process.ts'

/** The system calls that tell: what is put on disk, and what is acknowledged. */
async function tracedCalls(url: string, width: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'farebox-strace-'))
  const trace = join(folder, 'trace')
  const call = 'trace=fsync,fdatasync,write,pwrite64'
  const node = [process.execPath, ...writerArguments({ url, first: 0, width, limit: 5 * width })]
  // The filter in the kernel keeps all other calls at full speed.
  const options = ['-f', '--seccomp-bpf', '-y', '-s', '48', '-e', call, '-o', trace]
  const child = spawn('strace', [...options, ...node], { stdio: 'ignore' })
  await once(child, 'exit')
  const lines = readFileSync(trace, 'utf8').split('\n')
  rmSync(folder, { recursive: true, force: true })
  return lines
}

const isAcknowledgement = (line: string): boolean => /write\(1[^,]*, "claimed /.test(line)
const isCommitOnDisk = (line: string): boolean => /f(data)?sync\(\d+<[^>]*-wal>\)/.test(line)

describe.skipIf(!hasStrace())('the order of system calls', () => {
  test.each([1, 16])(
    'no claim of %i at once is told before its commit is on disk',
    async (width) => {
      const place = await sqlitePlace()
      try {
        const calls = await tracedCalls(place.url, width)
        const relevant = calls.filter((line) => isAcknowledgement(line) || isCommitOnDisk(line))
        const first = calls.findIndex(isAcknowledgement)
        const written = calls
          .slice(0, first)
          .findLastIndex((line) => /pwrite64\(.*-wal>/.test(line))
        const flushed = calls.slice(0, first).findLastIndex(isCommitOnDisk)
        expect(written).toBeGreaterThan(0)
        expect(flushed).toBeGreaterThan(written)
        const told = relevant.filter(isAcknowledgement).length
        const flushes = relevant.filter(isCommitOnDisk).length
        expect(told).toBe(5 * width)
        // Each flush lets at most what waited for it be told: one at a time, or a group together.
        let allowed = 0
        for (const line of relevant) {
          allowed = isCommitOnDisk(line) ? width : allowed - 1
          expect(allowed).toBeGreaterThanOrEqual(0)
        }
        if (width > 1) expect(flushes).toBeLessThan(told / 4)
      } finally {
        await place.dispose()
      }
    },
  )
})
