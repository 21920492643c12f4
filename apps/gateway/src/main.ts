import { runCommand } from './run-command.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// better-sqlite3 ends an older process with a segmentation fault instead of an error.
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`Farebox needs Node.js 22.19 or later; this is ${process.versions.node}.\n`)
  process.exitCode = 2
} else {
  process.exitCode = await runCommand(process.argv.slice(2))
}
