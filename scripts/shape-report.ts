// Prints the lengths of functions and files of the shipped sources; fails beyond the hard limits.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packages/workspace.ts'
import { type FunctionShape, measureFunctions, percentile } from './shape/measure-functions.ts'
import { trackedFiles } from './tracked-files.ts'

const maxFunctionLines = 60
const maxFileLines = 400
/** Sources in one folder. */
const maxRoomSources = 14

const shippedSources = [
  'packages/*/src/**.ts',
  'apps/*/src/**.ts',
  'apps/*/src/**.tsx',
  ':!:**/*.gen.ts',
  ':!:**/data/**',
]

function printShares(title: string, functions: readonly FunctionShape[]): void {
  const sorted = functions.map(({ lines }) => lines).sort((a, b) => a - b)
  const shares = [0.5, 0.9, 0.99].map((share) => percentile(sorted, share))
  console.log(`${title.padEnd(26)} ${String(sorted.length).padStart(5)}   ${shares.join(' / ')}`)
}

const files = trackedFiles(shippedSources).map((file) => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))
const functions = files.flatMap(({ file, text }) => measureFunctions(file, text))
const homes = Map.groupBy(functions, ({ file }) => file.split('/').slice(0, 2).join('/'))

console.log(`${''.padEnd(19)} functions   p50 / p90 / p99 lines`)
for (const [home, members] of homes) printShares(home, members)
printShares('all', functions)

console.log('\nlongest functions')
const longest = functions.toSorted((a, b) => b.lines - a.lines)
for (const { lines, name, file, line } of longest.slice(0, 10)) {
  console.log(`${String(lines).padStart(4)}  ${name}  ${file}:${line}`)
}

const longFiles = files
  .map(({ file, text }) => ({ file, lines: text.split('\n').length - 1 }))
  .filter(({ lines }) => lines > maxFileLines)
for (const { file, lines } of longFiles) console.error(`${file} has ${lines} lines`)

const rooms = Map.groupBy(files, ({ file }) => file.slice(0, file.lastIndexOf('/')))
const fullRooms = [...rooms].filter(([, members]) => members.length > maxRoomSources)
for (const [room, members] of fullRooms) console.error(`${room} has ${members.length} sources`)
const tooLong = longest.filter(({ lines }) => lines > maxFunctionLines)
console.log(
  `\nshape: ${files.length} files in ${rooms.size} rooms, ${tooLong.length} functions over ${maxFunctionLines} lines`,
)
process.exitCode = tooLong.length + longFiles.length + fullRooms.length === 0 ? 0 : 1
