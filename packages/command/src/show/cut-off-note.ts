/** What to say about an answer that is not complete, by its `finish_reason`. */
export function cutOffNote(finishReason: string | null | undefined): string | undefined {
  switch (finishReason) {
    case 'length':
      return 'The answer is not complete: it reached its maximum length (max_tokens).'
    case 'content_filter':
      return "The answer is not complete: the provider's content filter stopped it."
    default:
      return undefined
  }
}
