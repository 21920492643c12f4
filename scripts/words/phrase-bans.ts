/** A phrase that must not come back, and the native phrase that replaces it. */
export type PhraseBan = {
  readonly name: string
  /** A regular expression. A space in it also matches a line break inside a comment. */
  readonly pattern: string
  readonly fix: string
  /** Git pathspecs of files that keep the phrase, each with its reason in a comment. */
  readonly except?: readonly string[]
}

/** The text checked against `phraseBans`: sources and pages that people read. */
export const checkedText: readonly string[] = ['*.ts', '*.tsx', '*.md']

/** Generated text, texts to be counted, and this table itself. */
export const uncheckedText: readonly string[] = [
  'docs/api',
  '**/*.gen.ts',
  'scripts/words',
  'scripts/test/words.test.ts',
  // Texts in many languages, to be counted.
  'packages/tokenizer/scripts/support/language-texts.ts',
  'packages/tokenizer/test/support',
]

/** Migrations and their tests name the table as it was. */
const refundTransferTable = [
  'packages/ledger/src/sql/schema',
  'packages/ledger/test/sql/migration-cases.ts',
]

const be = '(is|are|was|were|be)'

export const phraseBans: readonly PhraseBan[] = [
  {
    name: 'inverted negation',
    pattern: String.raw`(?<![Tt]here )(?<![Tt]here ${be} )\b${be} (no|none)\b(?! (longer|more|less|fewer|later|earlier|bigger|smaller|better|worse|slower|faster)\b)`,
    fix: 'negate the verb: "is not a valid URL", "is not a token", "is missing"',
  },
  {
    name: 'there is none',
    pattern: String.raw`\b[Tt]here ${be} none\b`,
    fix: 'name the state: "not configured", "not found", "no replicas are running"',
  },
  {
    name: 'a person for a process',
    pattern: String.raw`(?<!['"\u0060])\b([Ww]hoever|[Ww]homever|[Ss]omebody|[Nn]obody|[Aa]nybody|[Ee]verybody)\b`,
    fix: 'name the process ("the client", "another replica") or use the passive',
  },
  { name: 'time is over', pattern: String.raw`\btime is over\b`, fix: 'write "expired"' },
  {
    name: 'told',
    pattern: String.raw`\b${be} told\b|\b[Tt]old (of|about|once|to)\b|\bas told\b`,
    fix: 'write "is logged", "is reported", "is configured to", "on request"',
  },
  {
    name: 'for want of',
    pattern: String.raw`\bfor want of\b`,
    fix: 'write "because … is missing"',
  },
  { name: 'anew', pattern: String.raw`\banew\b`, fix: 'write "again" or "rebuilt"' },
  { name: 'abortion', pattern: 'abortion', fix: 'write "abort" or "whenAborted"' },
  { name: 'till', pattern: String.raw`\b[Tt]ills?\b`, fix: 'write "paywall", or "until"' },
  {
    name: 'payout',
    pattern: '[Pp]ayout',
    fix: 'write "refund transfer"',
    except: refundTransferTable,
  },
  {
    name: 'in words',
    pattern: String.raw`\b[a-z]+InWords\b|-in-words\b|\b(in|by default in) words\b(?! of)`,
    fix: 'write "describe…", "as text"',
  },
  {
    name: 'money that goes back',
    pattern: String.raw`\b(go|goes|going|went|gone|come|comes|coming|came) back\b(?! (from|online|up)\b)`,
    fix: 'write "is refunded" or "is returned"',
  },
  {
    name: 'a life of a process',
    pattern: String.raw`\bin (a|an earlier|another|its|the last|a former) life\b`,
    fix: 'write "before the restart", "before the backup was restored"',
  },
  {
    name: 'comes to its end',
    pattern: String.raw`\b(come|comes|came|brought|brings?) to (nothing|its end|their end|an end)\b`,
    fix: 'write "finishes", "completes", "is completed"',
  },
  { name: 'says so', pattern: String.raw`\bsays so\b`, fix: 'write "states it", "reports it"' },
  { name: 'at hand', pattern: String.raw`\b(at|to) hand\b`, fix: 'write "available"' },
  {
    name: 'stead',
    pattern: String.raw`\bin (its|their|the) stead\b|\bin stead\b`,
    fix: 'write "instead"',
  },
  { name: 'dear', pattern: String.raw`\bdear(er|est)\b|\bas dear\b`, fix: 'write "expensive"' },
  {
    name: 'a person for a client',
    pattern: String.raw`\b[Ww]ho (leaves|left|asks|has|returns|presents)\b`,
    fix: 'write "a client that disconnects", "a payer that …"',
  },
  {
    name: 'beside',
    pattern: String.raw`(?<![-'.])\b[Bb]eside (?=[a-z\u0060])`,
    fix: 'write "next to", "in addition to", "together with", "compared with"',
  },
  {
    name: 'goes on',
    pattern: String.raw`\b([Gg]o|[Gg]oes|[Ww]ent|[Gg]oing) on\b(?! (its|the|a) )`,
    fix: 'write "continues"',
  },
  {
    name: 'British spelling',
    pattern: String.raw`\b[A-Za-z]*([Aa]uthoris|[Oo]rganis|[Nn]ormalis|[Rr]ecognis|[Ss]erialis|[Tt]okenis|[Ii]temis|[Ss]ummaris|[Cc]olour|[Hh]onour|[Ff]avour|[Nn]eighbour|[Bb]ehaviour)[a-z]*`,
    fix: 'write "authorization", "color", "honor": x402 and EIP-3009 use American spelling',
    // A recorded prompt.
    except: ['packages/storefront/scripts/everyday-requests.ts'],
  },
  {
    name: 'most or least in the name of a limit',
    pattern: String.raw`\b(const|readonly) (most|least)[A-Z]`,
    fix: 'write "max…" or "min…"',
  },
  {
    name: 'a name that was replaced',
    pattern: String.raw`\b(isDead|isUnended|isGivenUp|settleUp|setAside|quietObserver|forEachAtOnce|readAnswer|openTakings|MoneyFault|moneyWatch|parkAlone|durable-before-said|serveAhead|startAhead|isServedAhead|AheadRisk|releaseAhead|leaverCharge|basisOfLeaver|lendsByTransaction|mostUnclaimed|leastCharge|leastTreasury|leastRelayerWei|riskInAll|createStack|PaymentLife)\b`,
    fix: 'use the name of docs/glossary.md or of the code next to it',
  },
]
