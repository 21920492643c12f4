import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { announceSkip } from '../../../../scripts/testing/announce-skip.ts'

/** One recorded response of a provider. */
export type Recording = {
  readonly id: string
  readonly vendor: string
  readonly wire: 'openai' | 'anthropic' | 'gemini'
  /** `array`: the JSON array of a Gemini stream without event framing. */
  readonly kind: 'json' | 'sse' | 'array'
  readonly status: number
  readonly body: string
}

/** Next to the repository, not in it: the recordings have their own licenses. */
const file = new URL('../../../../../shared/data/provider-recordings.jsonl.gz', import.meta.url)

/** Every recording; none, with a notice, where the file is missing. */
export function readRecordings(): readonly Recording[] {
  if (!existsSync(file)) {
    announceSkip('recordings of providers', `expected in ${fileURLToPath(file)}`)
    return []
  }
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line): Recording => JSON.parse(line))
}
