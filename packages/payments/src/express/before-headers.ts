import type { Response } from 'express'

/** Calls `act` with the status before the headers of the response are sent: it may still set some. */
export function beforeHeaders(response: Response, act: (statusCode: number) => void): void {
  const send = response.writeHead.bind(response)
  Object.assign(response, {
    writeHead(...args: Parameters<typeof send>): Response {
      if (!response.headersSent) act(args[0])
      return send(...args)
    },
  })
}
