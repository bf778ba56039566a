import {
  ALL_CHECKS,
  type BadgeStatus,
  badgeLabel,
  badgeStatus,
  type SignedTag,
} from '../../domain/public/badge.ts';
import type { ChoosableCheck, Coverage, CoveredProject } from '../../domain/public/coverage.ts';
import { NO_CHECKS } from '../../domain/public/kept-counts.ts';
import { type ComponentState, componentState } from '../../domain/public/status-page.ts';
import { type BadgeUrlsJson, badgesJson } from '../api/badges-output.ts';
import { BADGE_FORMATS } from '../badge/addresses.ts';
import type { Site } from '../site.ts';
import { COMPONENT_WORDS, listed } from '../status/words.ts';

/** Something that a badge or a component can be made of. */
export interface CoverageJson {
  /** The tag, the name of the check, or what badges of the whole project say. */
  readonly label: string;
  readonly checks: number;
  /** For outsiders. */
  readonly state: ComponentState;
  readonly state_words: string;
  /** What its badge shows, with two states and with three. */
  readonly badge: { readonly two: BadgeStatus; readonly three: BadgeStatus };
  /** Why it is so: the names of checks that are down or late, or else how the others are. */
  readonly why: string;
  /** Of its badges. Null for somebody who must not see addresses. */
  readonly urls: BadgeUrlsJson | null;
}

export interface CheckCoverageJson extends CoverageJson {
  /** Names the check, and opens nothing. */
  readonly unique_key: string;
}

export interface ProjectCoverageJson {
  readonly project: CoverageJson;
  readonly tags: readonly CoverageJson[];
  readonly checks: readonly CheckCoverageJson[];
  /** Whether more checks match. */
  readonly has_more: boolean;
}

/** `sign` gives what opens the badge of a tag; null if nothing does. */
export function coverageJson(
  { project, tags, checks, hasMore }: CoveredProject,
  sign: (tag: string) => SignedTag | null,
  site: Site,
): ProjectCoverageJson {
  const ofTag = (coverage: Coverage, label: string): CoverageJson => {
    const signed = sign(coverage.tag);
    return {
      ...shared(coverage, label),
      why: whyOf(coverage),
      urls: signed && (badgesJson([signed], site)[coverage.tag] ?? null),
    };
  };
  const isOpen = sign(ALL_CHECKS) !== null;
  return {
    project: ofTag(project, site.masterBadgeLabel),
    tags: tags.map((one) => ofTag(one, one.tag)),
    checks: checks.map((check) => checkJson(check, isOpen, site)),
    has_more: hasMore,
  };
}

function shared(counts: Omit<Coverage, 'tag' | 'culprits'>, label: string) {
  const state = componentState(counts);
  return {
    label,
    checks: counts.total,
    state,
    state_words: COMPONENT_WORDS[state],
    badge: { two: badgeStatus(counts, 2), three: badgeStatus(counts, 3) },
  };
}

function checkJson(check: ChoosableCheck, isOpen: boolean, site: Site): CheckCoverageJson {
  const counts = { ...NO_CHECKS.counts, total: 1, [check.status]: 1 };
  return {
    ...shared(counts, badgeLabel(check)),
    unique_key: check.uniqueKey,
    why: CHECK_WHY[check.status] ?? badgeLabel(check),
    urls: isOpen ? checkUrls(check, site) : null,
  };
}

/** Null: the check is to blame. */
const CHECK_WHY: Readonly<Record<ChoosableCheck['status'], string | null>> = {
  up: 'it is fine',
  grace: null,
  down: null,
  new: 'it was never pinged, which counts as up',
  paused: 'it is paused, which counts as up',
};

function checkUrls({ badgeKey }: ChoosableCheck, { root }: Site): BadgeUrlsJson {
  const [svg, json, shields] = BADGE_FORMATS;
  const url = (states: number, format: string) => `${root}/b/${states}/${badgeKey}.${format}`;
  return {
    ...{ svg: url(2, svg), svg3: url(3, svg), json: url(2, json), json3: url(3, json) },
    ...{ shields: url(2, shields), shields3: url(3, shields) },
  };
}

function whyOf({ total, up, grace, down, culprits }: Coverage): string {
  const bad = down > 0 ? down : grace;
  if (bad > 0) {
    const more = bad - culprits.length;
    return more > 0 ? `${culprits.join(', ')} and ${more} more` : listed(culprits);
  }
  if (total === 0) return 'there are no checks';
  if (up === 0) return 'nothing is watched';
  if (up < total) return `${up} of ${total} are fine, the others are not watched`;
  if (total === 1) return 'its check is fine';
  return total === 2 ? 'both are fine' : `all ${total} are fine`;
}
