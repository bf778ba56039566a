import {
  type BadgeCounts,
  type BadgeStates,
  type BadgeStatus,
  badgeStatus,
} from '../../domain/public/badge.ts';
import type { BadgeFormat } from './addresses.ts';
import { badgeSvg } from './svg.ts';

const SHIELDS_COLORS: Record<BadgeStatus, ShieldsColor> = {
  up: 'success',
  late: 'important',
  down: 'critical',
};

/** For badges that users draw themselves. */
export interface BadgeJson {
  status: BadgeStatus;
  total: number;
  grace: number;
  down: number;
}

/** For the endpoint badges of shields.io. */
export interface ShieldsJson {
  schemaVersion: 1;
  label: string;
  message: BadgeStatus;
  color: ShieldsColor;
}

type ShieldsColor = 'success' | 'important' | 'critical';

export interface BadgeDocument {
  readonly contentType: string;
  readonly text: string;
}

export function badgeDocument(
  format: BadgeFormat,
  label: string,
  counts: BadgeCounts,
  states: BadgeStates,
): BadgeDocument {
  const status = badgeStatus(counts, states);
  switch (format) {
    case 'svg':
      return { contentType: 'image/svg+xml', text: badgeSvg(label, status) };
    case 'json':
      return json({ status, total: counts.total, grace: counts.grace, down: counts.down });
    case 'shields':
      return json({ schemaVersion: 1, label, message: status, color: SHIELDS_COLORS[status] });
  }
}

function json(value: BadgeJson | ShieldsJson): BadgeDocument {
  return { contentType: 'application/json', text: JSON.stringify(value) };
}
