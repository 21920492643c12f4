import { globSync, readFileSync } from 'node:fs'
import { type Seeded, seeded } from './seeded.ts'
import { wellFormed } from './well-formed.ts'

export const corpusNames = [
  'English',
  'code',
  'JSON',
  'Chinese',
  'Japanese',
  'emoji',
  'base64',
  'mixed',
] as const

export type CorpusName = (typeof corpusNames)[number]

/** Up to here a few packages give text enough, and looking through all would take seconds. */
const fewUnits = 1 << 20

const installed = new URL('../../../../node_modules/.pnpm/', import.meta.url)

/**
 * Texts of about `units` UTF-16 units. English, code and JSON are read from what is installed
 * (documentation, sources, data); the rest is drawn by a seeded generator from words and characters.
 * Nothing repeats as a whole.
 */
export function corpora(units: number): ReadonlyMap<CorpusName, string> {
  const random = seeded(units)
  const parts = new Map<CorpusName, string>([
    ['English', english(units)],
    ['code', readInstalled('{lib,dist,src}/**/*.{js,ts}', units, sourceCode)],
    ['JSON', json(random, units)],
    ['Chinese', sentences(random, units, chinese)],
    ['Japanese', sentences(random, units, japanese)],
    ['emoji', emoji(random, units)],
    ['base64', base64(random, units)],
  ])
  return parts.set('mixed', mixed(random, units, [...parts.values()]))
}

function english(units: number): string {
  const prose = readInstalled('*.md', units, (text) => text)
  const comments = readInstalled('*.d.ts', units - prose.length, commentsOf)
  return prose + comments
}

function readInstalled(pattern: string, units: number, edit: (text: string) => string): string {
  const parts: string[] = []
  let length = 0
  const folders = units < fewUnits ? '{eslint,vite,vitest}@*' : '*'
  const glob = `${folders}/node_modules/**/${pattern}`
  const files = units > 0 ? globSync(glob, { cwd: installed }).sort() : []
  for (const file of files) {
    if (length >= units) break
    const text = edit(readFileSync(new URL(file, installed), 'utf8').slice(0, 100_000))
    parts.push(text)
    length += text.length
  }
  return wellFormed(parts.join('\n').slice(0, units))
}

function commentsOf(text: string): string {
  const comments = text.match(/\/\*\*[\s\S]*?\*\//g) ?? []
  return comments.map((comment) => comment.replaceAll(/^[\s/*]+|[\s/*]+$/gm, '')).join('\n')
}

/** Code as people write it: no minified files, no embedded data. */
function sourceCode(text: string): string {
  return /.{400}/.test(text) ? '' : text
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return ''
  }
}

function json(random: Seeded, units: number): string {
  const installedJson = readInstalled('*.json', units / 2, compactJson)
  return installedJson + records(random, units - installedJson.length)
}

function records({ below, pick }: Seeded, units: number): string {
  const rows: string[] = []
  for (let length = 0; length < units; ) {
    const row = JSON.stringify({
      id: below(2 ** 31),
      name: word(below),
      price: below(100_000) / 100,
      tags: [word(below), word(below)],
      active: pick([true, false, null]),
      at: new Date(below(2 ** 31) * 1000).toISOString(),
    })
    rows.push(row)
    length += row.length + 1
  }
  return `[${rows.join(',')}]`.slice(0, units)
}

function word(below: Seeded['below']): string {
  const length = 3 + below(7)
  return Array.from({ length }, () => String.fromCharCode(97 + below(26))).join('')
}

type Script = {
  readonly words: readonly string[]
  /** A block of which single characters are drawn now and then. */
  readonly rare: readonly [first: number, size: number]
  readonly marks: readonly string[]
}

const split = (words: string): readonly string[] => words.split(' ')

const chinese: Script = {
  words: split(
    '的 是 在 了 不 和 有 我 他 这 中 大 来 上 国 个 到 说 们 为 子 你 地 出 道 也 时 年 得 就 那 要 下 以 生 会 自 着 去 之 过 家 学 对 可 她 里 后 小 么 心 多 天 而 能 好 都 然 没 日 于 起 还 发 成 事 只 作 当 想 看 文 无 开 手 十 用 主 行 方 又 如 前 所 本 见 经 头 面 公 同 三 已 老 从 动 两 长 我们 他们 没有 什么 知道 自己 中国 问题 时候 现在 工作 因为 但是 可以 这个 那个 一个 开始 社会 发展 公司 政府 经济 技术 系统 数据 服务 价格 模型 计算 程序 语言 信息 网络 安全 世界 人民 学生 老师 朋友 生活 学习 研究 历史 文化 城市 电话 电脑 汽车 天气 今天 明天 昨天 早上 晚上 喜欢 觉得 认为 需要 应该 可能 非常 已经 还是 或者 如果 所以 虽然 然后 使用 支付 请求 账户 金额 余额 返回 文件 测试 用户',
  ),
  rare: [0x4e00, 0x51a5],
  marks: [...'，，，。、；：？！'],
}

const japanese: Script = {
  words: split(
    'の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において ば なかっ なく しかし について せ だっ できる それ う ので なお のみ でき き つ における および いう さらに でも ら たり たち ます です ました でした ません ください 私 人 日本 日本語 東京 会社 仕事 時間 今日 明日 昨日 学校 先生 学生 電車 電話 料理 映画 音楽 世界 社会 経済 技術 研究 開発 計算 言語 情報 安全 問題 質問 答え 値段 支払い 料金 残高 利用 要求 データ システム サービス モデル テスト プログラム コンピュータ インターネット ユーザー ファイル エラー 食べる 飲む 行く 来る 見る 聞く 話す 読む 書く 思う 考える 使う 作る 大きい 小さい 新しい 古い 高い 安い 良い 悪い',
  ),
  rare: [0x4e00, 0x2000],
  marks: [...'、、。「」・ー？'],
}

/** Words with a steep frequency, a rare character now and then, a mark every dozen words. */
function sentences({ below, pick }: Seeded, units: number, { words, rare, marks }: Script): string {
  return fill(units, () => {
    const drawn = Array.from({ length: 4 + below(14) }, () => {
      if (below(12) === 0) return String.fromCharCode(rare[0] + below(rare[1]))
      return words[below(1 + below(words.length))] ?? ''
    })
    return `${drawn.join('')}${pick(marks)}`
  })
}

function emoji({ below }: Seeded, units: number): string {
  const text = fill(units, () => {
    const face = String.fromCodePoint(0x1f300 + below(0x350))
    const tail = [
      '',
      '',
      '',
      ' ',
      '\u{1f3fd}',
      '\ufe0f',
      `\u200d${String.fromCodePoint(0x1f468 + below(8))}`,
    ]
    return face + (tail[below(tail.length)] ?? '')
  })
  return wellFormed(text)
}

function base64({ below }: Seeded, units: number): string {
  const bytes = Uint8Array.from({ length: Math.ceil((units * 3) / 4) }, () => below(256))
  return Buffer.from(bytes).toString('base64').slice(0, units)
}

function mixed({ below, pick }: Seeded, units: number, parts: readonly string[]): string {
  const text = fill(units, () => {
    const part = pick(parts)
    const start = below(Math.max(1, part.length - 2000))
    return part.slice(start, start + 200 + below(1800))
  })
  return wellFormed(text)
}

function fill(units: number, next: () => string): string {
  const parts: string[] = []
  for (let length = 0; length < units; ) {
    const part = next()
    parts.push(part)
    length += part.length
  }
  return parts.join('').slice(0, units)
}
