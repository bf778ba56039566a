import type { Disk, Growth } from '../../../src/views/instance.ts';
import { m } from '../../messages/index.ts';

const t = m.admin.health;
const BYTES = 1_024;

export function bytesText(value: number | null): string {
  if (value === null) return t.unknown;
  const power = Math.min(3, Math.floor(Math.log(Math.max(value, 1)) / Math.log(BYTES)));
  const amount = value / BYTES ** power;
  return `${amount.toFixed(amount < 10 && power > 0 ? 1 : 0)} ${['B', 'KiB', 'MiB', 'GiB'][power]}`;
}

export function grownText(value: number | null): string {
  return value === null ? t.notSoLong : `${value < 0 ? '−' : '+'}${bytesText(Math.abs(value))}`;
}

export function freeText({ freeBytes, totalBytes }: Disk): string {
  const percent = Math.floor((100 * freeBytes) / Math.max(totalBytes, 1));
  return t.freeOf(bytesText(freeBytes), bytesText(totalBytes), percent);
}

/** How fast the database grows, and when its disk is full. */
export function forecast(growth: Pick<Growth, 'bytesPerDay' | 'fullInDays'> | null): string {
  if (growth === null) return '';
  const { bytesPerDay, fullInDays } = growth;
  if (bytesPerDay === null) return t.measuring;
  if (bytesPerDay < 1) return t.steady;
  const grows = t.growsBy(bytesText(bytesPerDay));
  return fullInDays === null ? grows : `${grows} ${t.fillsUp(fullInDays)}`;
}
