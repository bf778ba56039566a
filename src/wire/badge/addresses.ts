import { ALL_CHECKS, type BadgeStates } from '../../domain/public/badge.ts';

export const BADGE_FORMATS = ['svg', 'json', 'shields'] as const;

export type BadgeFormat = (typeof BADGE_FORMATS)[number];

/** Marks the signature of a two-state badge. */
const TWO_STATES = '-2';
const SIGNATURE_LENGTH = 8;

export interface BadgeAddress {
  readonly badgeKey: string;
  readonly tag: string;
  readonly signature: string;
  readonly states: BadgeStates;
  readonly format: BadgeFormat;
}

export function badgeUrl(root: string, { badgeKey, tag, signature, states, format }: BadgeAddress): string {
  const signed = `${root}/badge/${badgeKey}/${signature}${states === 2 ? TWO_STATES : ''}`;
  return tag === ALL_CHECKS ? `${signed}.${format}` : `${signed}/${encodeTwice(tag)}.${format}`;
}

/** Reads the parts of a path. Returns null if they are not a badge address. `signed` may end in `-2`. */
export function parseBadgeAddress(
  badgeKey: string,
  signed: string,
  file: string | null,
): BadgeAddress | null {
  const [name, format] = splitExtension(file ?? signed);
  const signature = file === null ? name : signed;
  const tag = file === null ? ALL_CHECKS : decodeTag(name);
  if (format === null || tag === null || !/^[-\w]+$/.test(signature)) return null;
  const isTwoState =
    signature.length === SIGNATURE_LENGTH + TWO_STATES.length && signature.endsWith(TWO_STATES);
  return {
    badgeKey,
    tag,
    signature: signature.slice(0, SIGNATURE_LENGTH),
    states: isTwoState ? 2 : 3,
    format,
  };
}

/** Splits at the last dot: `v1.0.svg` is `v1.0` in the format svg. */
export function splitExtension(file: string): [name: string, format: BadgeFormat | null] {
  const dot = file.lastIndexOf('.');
  const extension = file.slice(dot + 1);
  return [file.slice(0, Math.max(dot, 0)), BADGE_FORMATS.find((format) => format === extension) ?? null];
}

/** Encodes a tag twice, so that a slash in it survives servers that decode paths. */
function encodeTwice(tag: string): string {
  const once = encodeURIComponent(tag).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encodeURIComponent(once);
}

function decodeTag(segment: string): string | null {
  if (!/^[\p{L}\p{N}%~_.-]+$/u.test(segment)) return null;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
