import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Excerpts of the Universal Declaration of Human Rights, where they are next to a checkout. */
const file = new URL('../../../../../shared/data/oracle/texts.json.gz', import.meta.url)

type Excerpts = { readonly texts: readonly (readonly [name: string, text: string])[] }

/** One text of 528 languages in turn, about 500 words of each; `undefined` without the excerpts. */
export function worldText(): string | undefined {
  if (!existsSync(file)) return undefined
  const { texts }: Excerpts = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))
  return texts
    .filter(([name]) => name.startsWith('udhr/'))
    .map(([, text]) => text)
    .join('\n')
}
