import { Link } from '@tanstack/react-router';
import { act } from '../../app/act.ts';
import { m } from '../../messages/index.ts';
import { AliasList } from '../../ui/alias-list.tsx';
import { Card } from '../../ui/card.tsx';
import type { ShownCheck } from './queries.ts';

/** Addresses of other programs that ping the check. Absent where there are none and could be none. */
export function ForeignCard({ check, name }: { readonly check: ShownCheck; readonly name: string }) {
  const { foreign, may, project } = check;
  if (foreign === null) return null;
  const { accepted, aliases } = foreign;
  const words = m.check.foreign;
  const isOff = aliases.some(({ dialect }) => !accepted.includes(dialect));
  return (
    <Card title={words.title}>
      <div className="grid gap-2.5">
        {aliases.length === 0 && <p className="text-ink-3">{words.none}</p>}
        {isOff && (
          <p className="text-ink-2">
            {words.off}{' '}
            {may.edit && (
              <Link
                to="/projects/$project/settings/keys/"
                params={{ project: project.id }}
                className="text-link underline"
              >
                {words.settings}
              </Link>
            )}
          </p>
        )}
        <AliasList
          aliases={aliases}
          programs={accepted}
          addLabel={m.settings.dialects.add}
          {...(may.edit && {
            add: (alias) => act.addCheckAlias({ check: name, ...alias }),
            remove: (alias) => act.removeCheckAlias({ check: name, alias }),
          })}
        />
      </div>
    </Card>
  );
}
