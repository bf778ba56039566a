import { ROOT } from '../../app/api.ts';
import { m } from '../../messages/index.ts';

/** Where own ways stand on their page. */
export const OWN_WAYS_ANCHOR = 'own-ways';

/** A link to the own ways of the project, in a tab of its own, so that what is chosen stays. */
export function OwnWaysLink({ project, isFirst }: { readonly project: string; readonly isFirst: boolean }) {
  return (
    <a
      href={`${ROOT}/projects/${project}/settings/alerts/#${OWN_WAYS_ANCHOR}`}
      target="_blank"
      rel="noopener"
      className="inline-flex items-center text-12 text-link underline underline-offset-2 max-md:min-h-11"
    >
      {isFirst ? m.alerts.ownWays.make : m.alerts.ownWays.link}
    </a>
  );
}
