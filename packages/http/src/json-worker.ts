import { parentPort } from 'node:worker_threads'
import type { JsonJob, JsonReply } from './body/json-thread.ts'
import { parseJson } from './body/parse-json.ts'

parentPort?.on('message', ({ id, blocks }: JsonJob) => {
  const reply: JsonReply = { id, parsed: parseJson(blocks) }
  parentPort?.postMessage(reply)
})
