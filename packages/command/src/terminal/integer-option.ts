import { InvalidArgumentError } from 'commander'

/** Parses an option that is a count. */
export function integerOption(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError('Expected a whole number of at most 9 digits.')
  return Number(text)
}
