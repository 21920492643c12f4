import { run } from './program.js'

const { GATEWAY_URL: url, PAYER_KEY: key } = globalThis.process.env
console.log(await run({ url, key }))
