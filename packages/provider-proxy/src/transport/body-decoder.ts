import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  type Gunzip,
  type Inflate,
} from 'node:zlib'

export type BodyDecoder = Gunzip | Inflate | BrotliDecompress

/** A body that breaks off is decoded up to there. */
const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
const brotli = { finishFlush: constants.BROTLI_OPERATION_FLUSH }

/**
 * Decodes a body as it arrives; undefined if it is not encoded. Proxies before a provider may compress
 * although `identity` was asked for.
 */
export function createBodyDecoder(encoding: string | undefined): BodyDecoder | undefined {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
      return createGunzip(zlib)
    case 'deflate':
      return createInflate(zlib)
    case 'br':
      return createBrotliDecompress(brotli)
    default:
      return undefined
  }
}
