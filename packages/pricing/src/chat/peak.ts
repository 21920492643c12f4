import type { PeakHours, PeakWindow } from './chat-price.ts'

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs
/** 1970-01-01 was a Thursday. */
const firstWeekday = 4

type Served = { readonly from: number; readonly to: number }

/** Whether any moment of a call, in ms since 1970, is in a peak window; true if unknown. */
export function touchesPeak({ windows }: PeakHours, call: Served | undefined): boolean {
  if (call === undefined || windows.length === 0) return true
  if (![call.from, call.to].every(Number.isFinite)) return true
  // A clock may have been set back during the call.
  const served = { from: Math.min(call.from, call.to), to: Math.max(call.from, call.to) }
  const firstDay = Math.floor(served.from / dayMs)
  // Windows repeat weekly, so a call of a week or more overlaps all of them.
  return Array.from({ length: 8 }, (_, index) => firstDay + index).some((day) =>
    windows.some((window) => overlaps(window, day, served)),
  )
}

function overlaps(
  { days, fromMinute, toMinute }: PeakWindow,
  day: number,
  served: Served,
): boolean {
  const start = day * dayMs + fromMinute * minuteMs
  const end = day * dayMs + toMinute * minuteMs
  return days.includes((day + firstWeekday) % 7) && served.from < end && served.to >= start
}
