const neutralValues: ReadonlyMap<string, string | number | boolean> = new Map<
  string,
  string | number | boolean
>([
  ['n', 1],
  ['temperature', 1],
  ['top_p', 1],
  ['repetition_penalty', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
  ['top_logprobs', 0],
  ['top_k', 0],
  ['min_p', 0],
  ['logprobs', false],
  ['parallel_tool_calls', true],
  ['tool_choice', 'auto'],
  ['verbosity', 'medium'],
  ['reasoning_effort', 'none'],
])

/** The value with which a field of a chat request requests nothing, if a single one does. */
export function neutralValue(field: string): string | number | boolean | undefined {
  return neutralValues.get(field)
}
