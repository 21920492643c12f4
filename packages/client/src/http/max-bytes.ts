/** More than four images of 2048 by 2048 pixels in base64, twice. An endless response is not kept. */
export const maxBytes: number = 256 * 1024 * 1024
