/** Checks and tags for badges and components of status pages. */
import { AppError } from '../domain/errors.ts';
import { isAllowed } from '../domain/people/permission.ts';
import { badgeLabel, badgeStatus, type SignedTag } from '../domain/public/badge.ts';
import { type ChoosableCheck, type Coverage, CoverageCollector } from '../domain/public/coverage.ts';
import { NO_CHECKS } from '../domain/public/kept-counts.ts';
import { componentState } from '../domain/public/status-page.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { refined, text } from '../lib/fields.ts';
import { summaryPages } from '../services/check/check-list.ts';
import { shownStatus } from '../services/check/reported-checks.ts';
import { type BadgeUrlsJson, badgesJson } from '../wire/api/badges-output.ts';
import { BADGE_FORMATS } from '../wire/badge/addresses.ts';
import type { Site } from '../wire/site.ts';
import { COMPONENT_WORDS, listed } from '../wire/status/words.ts';
import { MAX_OFFERED_CHECKS } from './limits.ts';
import { projectView } from './view.ts';

/** The state of the project, of each of its tags and of the checks that match. */
export const coverage = projectView({
  permission: 'checks.view',
  input: {
    /** The words that somebody looks for. Empty for everything. */
    search: refined(text({ maxLength: TEXT_LIMITS.checkName }), 'search', (value) => value.trim()),
  },
  read: async (deps, { actor, input }) => {
    const found = await deps.store.projects.byId(actor.projectId);
    if (found === null) throw new AppError('project_not_found');
    const { badgeKey } = found;
    const now = deps.clock.now();
    const collector = new CoverageCollector();
    const checks: ChoosableCheck[] = [];
    const wanted = input.search.toLowerCase();
    for await (const page of summaryPages(deps, actor.projectId)) {
      for (const check of page) {
        const status = shownStatus(check, now);
        collector.add(check, status);
        const isWanted = `${check.name} ${check.slug} ${check.tags}`.toLowerCase().includes(wanted);
        if (isWanted && checks.length <= MAX_OFFERED_CHECKS) checks.push({ ...check, status });
      }
    }
    const seesAddresses = isAllowed(actor.caller, 'keys.edit');
    const ofTag = (covered: Coverage, label: string) => {
      const { tag } = covered;
      const signed = { tag, badgeKey, signature: deps.vault.badgeSignature(badgeKey, tag) };
      return covering(covered, label, whyOf(covered), seesAddresses ? tagUrls(signed, deps.site) : null);
    };
    const { project, tags } = collector.result;
    return {
      project: ofTag(project, deps.site.masterBadgeLabel),
      tags: tags.map((one) => ofTag(one, one.tag)),
      checks: checks.slice(0, MAX_OFFERED_CHECKS).map((check) => {
        const counts = { ...NO_CHECKS.counts, total: 1, [check.status]: 1 };
        const [label, urls] = [badgeLabel(check), seesAddresses ? checkUrls(check, deps.site) : null];
        return {
          ...covering(counts, label, CHECK_WHY[check.status] ?? label, urls),
          /** Names the check, and opens nothing. */
          uniqueKey: check.uniqueKey,
        };
      }),
      /** Whether more checks match. */
      hasMore: checks.length > MAX_OFFERED_CHECKS,
    };
  },
});

function covering(
  counts: Omit<Coverage, 'tag' | 'culprits'>,
  label: string,
  why: string,
  urls: BadgeUrlsJson | null,
) {
  const state = componentState(counts);
  return {
    /** The tag, the name of the check, or what badges of the whole project say. */
    label,
    checks: counts.total,
    /** For outsiders. */
    state,
    stateWords: COMPONENT_WORDS[state],
    /** The status on its badge, with two states and with three. */
    badge: { two: badgeStatus(counts, 2), three: badgeStatus(counts, 3) },
    /** Why it is so: the names of checks that are down or late, or else how the others are. */
    why,
    /** The addresses of its badges. Null for somebody who must not see addresses. */
    urls,
  };
}

function tagUrls(signed: SignedTag, site: Site): BadgeUrlsJson | null {
  return badgesJson([signed], site)[signed.tag] ?? null;
}

function checkUrls({ badgeKey }: ChoosableCheck, { root }: Site): BadgeUrlsJson {
  const [svg, json, shields] = BADGE_FORMATS;
  const url = (states: number, format: string) => `${root}/b/${states}/${badgeKey}.${format}`;
  return {
    ...{ svg: url(2, svg), svg3: url(3, svg), json: url(2, json), json3: url(3, json) },
    ...{ shields: url(2, shields), shields3: url(3, shields) },
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
