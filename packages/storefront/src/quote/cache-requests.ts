import { type CacheMark, type ChatRequest, cacheMarks, withoutCacheMarks } from '@farebox/api'
import type { ChatModel } from '@farebox/catalogs'
import type { CacheLifetime } from '@farebox/pricing'
import type { RequestRejection } from './request-rejection.ts'

/** Removes marks for models other than Claude's, where they change neither answer nor price. */
export function withUsableMarks(request: ChatRequest, { maker }: ChatModel): ChatRequest {
  return maker === 'anthropic' ? request : withoutCacheMarks(request)
}

/** The lifetimes of the caches that a request asks for. */
export function cacheLifetimes(request: ChatRequest): ReadonlySet<CacheLifetime> {
  return new Set(cacheMarks(request).map(({ ttl }) => ttl))
}

const maxMarks = 4

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching: at most four, longer ones first. */
export function checkCacheMarks(
  request: ChatRequest,
  { id }: ChatModel,
): RequestRejection | undefined {
  const marks = cacheMarks(request)
  const excess = marks[maxMarks]
  if (excess !== undefined) {
    return rejection(
      excess,
      `is one of ${marks.length}, and ${id} takes at most ${maxMarks}. Remove it.`,
    )
  }
  const firstShort = marks.findIndex(({ ttl }) => ttl === '5m')
  const late = marks.find(({ ttl }, at) => ttl === '1h' && firstShort !== -1 && at > firstShort)
  if (late === undefined) return undefined
  return rejection(late, 'has ttl "1h" after a mark with "5m". Put marks with "1h" first.')
}

function rejection({ path }: CacheMark, problem: string): RequestRejection {
  return { code: 'invalid_field', param: path, message: `${path} ${problem}` }
}
