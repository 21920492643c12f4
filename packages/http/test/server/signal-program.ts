// Waits for the signals of a server, and prints what they are.
import { writeFileSync } from 'node:fs'
import { onReloadSignal, stopSignal } from '@farebox/http'

const [, , said = ''] = process.argv
const stopping = stopSignal()
onReloadSignal(() => writeFileSync(said, 'reloaded'))
const waiting = setTimeout(() => undefined, 20_000)
process.stdout.write('ready\n')
await stopping
writeFileSync(said, 'stopped')
clearTimeout(waiting)
