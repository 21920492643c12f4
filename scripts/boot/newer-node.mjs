import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isNew = major > 22 || (major === 22 && minor >= 19)

/**
 * Runs `main`, or on an older Node, this program once more with the Node that `npm run build` or
 * `npm start` downloaded. An older Node cannot load the program's modules: import them in `main`.
 */
export async function runOnNewerNode(tools, main) {
  if (isNew) {
    if (process.env['FAREBOX_OLDER_NODE'] === '1') endWithParent()
    return await main()
  }
  const node = downloadedNode(tools)
  if (node !== undefined) return await runAgain(node)
  process.stderr.write(
    `Farebox needs Node.js 22.19 or later; this is ${process.versions.node}. npm run build downloads one.\n`,
  )
  return 2
}

function downloadedNode(tools) {
  try {
    const node = join(JSON.parse(readFileSync(tools, 'utf8')).bin, 'node')
    return existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

/**
 * The program has a process group of its own, so that each signal reaches it once, by this process:
 * Ctrl-C, and some supervisors, signal a whole group. The channel closes when this process is killed.
 */
function runAgain(node) {
  return new Promise((resolve) => {
    const child = spawn(node, process.argv.slice(1), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: { ...process.env, FAREBOX_OLDER_NODE: '1' },
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => child.kill(signal))
    child.on('error', () => resolve(127))
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

function endWithParent() {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()
}
