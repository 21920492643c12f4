import { UpstreamError } from './upstream-error.ts'

/**
 * The text of arguments that a provider sends as an object.
 *
 * @throws {UpstreamError} when they are nested too deeply to be written.
 */
export function callArguments(input: Readonly<Record<string, unknown>>, provider: string): string {
  try {
    return JSON.stringify(input)
  } catch (cause) {
    throw new UpstreamError(
      `${provider} sent arguments of a tool call that are nested too deeply`,
      {
        code: 'upstream_unusable',
        provider,
        cause,
      },
    )
  }
}
