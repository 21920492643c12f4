/** `[name]: address`, in a list or a quotation too. */
const linkTarget = /^[ \t>*+\-\d.)]{0,20}\[(?:[^\]\\]|\\[\s\S]){1,999}\]:/m

/** Whether a text has the address of a link that is used elsewhere in it, before or after. */
export function hasLinkTarget(text: string): boolean {
  return linkTarget.test(text)
}
