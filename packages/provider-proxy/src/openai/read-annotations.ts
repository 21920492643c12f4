import type { ChatChunk } from '@farebox/api'
import { UpstreamError } from '../provider/upstream-error.ts'
import {
  addressAt,
  arrayAt,
  isRecord,
  type JsonRecord,
  recordAt,
  textAt,
} from '../wire/json-reading.ts'

type Delta = ChatChunk['choices'][number]['delta']
type Annotation = NonNullable<Delta['annotations']>[number]
type Picture = NonNullable<Delta['images']>[number]

/** The citations of a message, in OpenAI's shape. */
export function readAnnotations(message: JsonRecord): Annotation[] {
  return arrayAt(message, 'annotations').flatMap((given) => {
    const cited = isRecord(given) ? recordAt(given, 'url_citation') : undefined
    return cited === undefined ? [] : annotationOf(cited)
  })
}

/**
 * The sources that a response names outside its choices, as Perplexity does: `search_results`, or
 * else addresses in `citations`. The text refers to them by number, so they have no position in it.
 */
export function readSources(event: JsonRecord): Annotation[] {
  const results = arrayAt(event, 'search_results').filter(isRecord)
  if (results.length > 0) return results.flatMap(annotationOf)
  return arrayAt(event, 'citations').flatMap((url) =>
    typeof url === 'string' ? annotationOf({ url }) : [],
  )
}

function annotationOf(cited: JsonRecord): Annotation[] {
  const url = addressAt(cited, 'url', 'page')
  if (url === undefined) return []
  const [start_index, end_index] = [placeAt(cited, 'start_index'), placeAt(cited, 'end_index')]
  const title = textAt(cited, 'title') ?? ''
  return [{ type: 'url_citation', url_citation: { url, title, start_index, end_index } }]
}

function placeAt(cited: JsonRecord, key: string): number {
  const place = cited[key]
  return typeof place === 'number' && Number.isSafeInteger(place) ? Math.max(0, place) : 0
}

/**
 * The images of a message, in OpenRouter's format.
 *
 * @throws {UpstreamError} when no client can show one of them: left out, it would still be billed.
 */
export function readPictures(message: JsonRecord, provider: string): Picture[] {
  return arrayAt(message, 'images').flatMap((given) => {
    const image = isRecord(given) ? recordAt(given, 'image_url') : undefined
    if (image === undefined) return []
    const url = addressAt(image, 'url', 'image')
    if (url !== undefined) return [{ type: 'image_url' as const, image_url: { url } }]
    throw new UpstreamError(`${provider} sent an image that cannot be shown`, {
      code: 'upstream_truncated',
      provider,
    })
  })
}
