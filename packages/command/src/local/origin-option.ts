import { InvalidArgumentError } from 'commander'

/** Parses the origin of a page as browsers send it, and adds it to those before it. */
export function originOption(text: string, before: readonly string[] = []): readonly string[] {
  const origin = text.toLowerCase().replace(/\/$/, '')
  // Pages whose origin is hidden, such as those of a file, send `null`.
  if (origin !== 'null' && !/^[a-z][\w+.-]*:\/\/[^\s/?#]+$/.test(origin)) {
    throw new InvalidArgumentError(
      'Expected the origin of a page, without a path, such as http://localhost:3000.',
    )
  }
  return [...before, origin]
}
