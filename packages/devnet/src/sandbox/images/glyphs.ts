/** Letters of three by five dots: a row is an octal digit, its highest bit on the left. */
const glyphs: Readonly<Record<string, string>> = {
  A: '25755',
  B: '65656',
  C: '34443',
  D: '65556',
  E: '74647',
  F: '74644',
  G: '34553',
  H: '55755',
  I: '72227',
  J: '11152',
  K: '55655',
  L: '44447',
  M: '57755',
  N: '65555',
  O: '25552',
  P: '65644',
  Q: '25563',
  R: '65655',
  S: '34216',
  T: '72222',
  U: '55557',
  V: '55552',
  W: '55775',
  X: '55255',
  Y: '55222',
  Z: '71247',
  0: '75557',
  1: '26227',
  2: '71747',
  3: '71717',
  4: '55711',
  5: '74717',
  6: '74757',
  7: '71111',
  8: '75757',
  9: '75717',
  '-': '00700',
  '.': '00002',
}

/** The dots of a line of text, four columns to a character; unknown characters are blank. */
export function dotsOf(text: string): readonly { readonly x: number; readonly y: number }[] {
  return Array.from(text.toUpperCase()).flatMap((character, position) =>
    Array.from(glyphs[character] ?? '00000').flatMap((row, y) =>
      [0, 1, 2]
        .filter((column) => (Number(row) & (4 >> column)) !== 0)
        .map((column) => ({ x: position * 4 + column, y })),
    ),
  )
}
