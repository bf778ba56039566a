import type { Disk, Growth } from '../../../src/views/instance.ts';
import { m } from '../../messages/index.ts';
import { sizeText } from '../../ui/size-text.ts';

const t = m.admin.health;

export function bytesText(value: number | null): string {
  return value === null ? t.unknown : sizeText(value);
}

export function grownText(value: number | null): string {
  return value === null ? t.notSoLong : `${value < 0 ? '' : '+'}${sizeText(value)}`;
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
