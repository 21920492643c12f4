import { InvalidArgumentError } from 'commander'

/** Reads an option that counts something. */
export function integerOption(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}
