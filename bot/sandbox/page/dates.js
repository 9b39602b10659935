// Times as Slack writes them, in the reader's own zone.

const locale = "en-GB";
const part = (options) => (date) => new Intl.DateTimeFormat(locale, options).format(date);

const time = part({ hour: "2-digit", minute: "2-digit" });
const timeSecs = part({ hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dateNum = (date) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
const short = part({ day: "numeric", month: "short", year: "numeric" });
const full = part({ day: "numeric", month: "long", year: "numeric" });
const long = part({ weekday: "long", day: "numeric", month: "long", year: "numeric" });

export function dayWord(date) {
  const days = Math.round((startOfDay(date) - startOfDay(new Date())) / 86_400_000);
  return { "-1": "yesterday", 0: "today", 1: "tomorrow" }[days];
}

const startOfDay = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate());
const pretty = (format) => (date) => dayWord(date) ?? format(date);

export function ago(date) {
  const seconds = Math.round((date - Date.now()) / 1000);
  const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
}

const TOKENS = {
  date_num: dateNum, date: full, date_short: short, date_long: long,
  date_pretty: pretty(full), date_short_pretty: pretty(short), date_long_pretty: pretty(long),
  day_divider_pretty: pretty(long), time, time_secs: timeSecs, ago,
};

/** Slack's `{date_pretty} at {time}`; null where the moment or a token is none. */
export function formatDate(timestamp, format) {
  const date = new Date(Number(timestamp) * 1000);
  if (Number.isNaN(date.getTime())) return null;
  let known = true;
  const text = String(format).replace(/\{(\w+)\}/g, (whole, token) => {
    if (TOKENS[token]) return TOKENS[token](date);
    known = false;
    return whole;
  });
  return known ? text : null;
}

export const ofTs = (ts) => new Date(Number.parseFloat(ts) * 1000);
export const clock = (ts) => time(ofTs(ts));
export const fullTime = (ts) => `${long(ofTs(ts))} at ${timeSecs(ofTs(ts))}`;
export const dayKey = (ts) => dateNum(ofTs(ts));

export function dayLabel(ts) {
  const word = dayWord(ofTs(ts));
  return word ? word[0].toUpperCase() + word.slice(1) : long(ofTs(ts));
}
