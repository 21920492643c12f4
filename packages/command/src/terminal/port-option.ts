import { InvalidArgumentError } from 'commander'

/** Parses the port of a server on this machine. */
export function portOption(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 to 65535.')
  return Number(text)
}
