import type { DeletedProject } from '../domain/people/project.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { readProjectList, roleOf } from '../services/people/own-projects.ts';
import { readOffer } from '../services/people/transfers.ts';
import { readProject } from '../services/project/projects.ts';
import type { ProjectOverview } from '../storage/store.ts';
import type { ProjectStatuses } from './project-counts.ts';
import { personView, projectView } from './view.ts';

/** One project, and the person's rights in it. */
export const project = projectView({
  permission: 'project.view',
  read: async (deps, { actor }) => {
    const { uuid, name, createdAt } = await readProject(deps, actor);
    const offer = await readOffer(deps, actor);
    return {
      uuid,
      name,
      role: roleOf(actor),
      created: toIsoSeconds(createdAt),
      /** The address of the member to whom its owner wants to hand it over. */
      offer: offer && { to: offer.email },
    };
  },
});

/** All projects of the person, with counts of their checks. */
export const ownProjects = personView({
  permission: 'projects.view',
  async *read(deps, { person }) {
    const { projects, deleted, freeChecks } = await readProjectList(deps, person);
    const listed: ReturnType<typeof listedProject>[] = [];
    for (const overview of projects) {
      const counts = yield* deps.projectCounts.of(overview.project.id, deps.clock);
      listed.push(listedProject(overview, counts, person.accountId));
    }
    return {
      projects: listed.toSorted(worstFirst),
      /** Own projects that the person can restore. */
      deleted: deleted.map(deletedProject),
      /** The number of checks that the person's projects may still get. A project with more cannot be taken over. */
      freeChecks,
    };
  },
});

function listedProject(
  { project: { uuid, name }, role, ownerEmail, channelCount, offer }: ProjectOverview,
  counts: ProjectStatuses,
  accountId: number,
) {
  const { total, up, grace: late, down, held, acknowledged, untold, paused, new: fresh, started } = counts;
  return {
    uuid,
    name,
    role,
    owner: ownerEmail,
    /** The worst status of its checks, which may be down and answered. Without checks it is up. */
    status: worstOf({ down, acknowledged: held + acknowledged, late }),
    checks: {
      ...{ total, up, late, down, held, acknowledged },
      /** Those of `down` that nobody was told of yet. */
      untold,
      /** On purpose. */
      silent: paused + counts.silent,
      new: fresh,
      /** Checks with an open run, in any status. */
      started,
    },
    integrations: channelCount,
    /** The member to whom the owner offers the project, and whether it is the person who asks. */
    offer: offer && { to: offer.email, isYours: offer.accountId === accountId },
  };
}

function deletedProject({ uuid, name, deletesAt }: DeletedProject) {
  return { uuid, name, deletesAt: toIsoSeconds(deletesAt) };
}

const names = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

type Listed = ReturnType<typeof listedProject>;

const TROUBLES = ['down', 'acknowledged', 'late'] as const;
const STATUSES = [...TROUBLES, 'up'] as const;

function worstOf(counts: Readonly<Record<(typeof TROUBLES)[number], number>>): (typeof STATUSES)[number] {
  return TROUBLES.find((status) => counts[status] > 0) ?? 'up';
}

function worstFirst(one: Listed, other: Listed): number {
  return STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status) || names.compare(one.name, other.name);
}
