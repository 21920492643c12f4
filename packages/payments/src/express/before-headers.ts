import type { Response } from 'express'

/** Calls `act` with the status before the headers of the response are sent: it may still set some. */
export function beforeHeaders(response: Response, act: (statusCode: number) => void): void {
  const { writeHead } = response
  response.writeHead = (...args: Parameters<typeof writeHead>) => {
    if (!response.headersSent) act(args[0])
    return writeHead.apply(response, args)
  }
}
