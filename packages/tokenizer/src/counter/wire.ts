/**
 * Where a request is sent, as far as bills depend on it: OpenAI's chat or Responses wire, Google's
 * Vertex AI, or a router, which may send it to the maker or to a cloud such as Vertex AI.
 */
export type Wire = 'chat' | 'responses' | 'vertex' | 'router'
