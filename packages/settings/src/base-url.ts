import { httpUrl } from './http-url.ts'

/**
 * An http or https URL that paths are appended to. It has no password either: where it is used, none
 * would be sent. The error never repeats the value.
 */
export const baseUrl = httpUrl.regex(
  /^https?:\/\/[^/@?#]+(\/[^?#]*)?$/i,
  'must have no user name, password, ? or #: paths are appended to it',
)
