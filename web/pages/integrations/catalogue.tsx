import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { m } from '../../messages/index.ts';
import { KindTile } from './kind-tile.tsx';
import { type ChannelKind, kindsQuery } from './queries.ts';

const words = m.integrations.catalogue;

/** All kinds of integrations, by purpose. */
export function Catalogue({ project }: { readonly project: string }) {
  const { kinds } = useSuspenseQuery(kindsQuery(project)).data;
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const found = kinds
    .filter(({ label, summary }) => `${label} ${summary}`.toLowerCase().includes(wanted))
    .toSorted(mailFirst);
  return (
    <section id="add" aria-labelledby="add-title" className="grid gap-4 scroll-mt-15">
      <header className="flex flex-wrap items-center gap-3">
        <h2 id="add-title" className="flex-1 text-16 whitespace-nowrap">
          {m.integrations.addOne}
        </h2>
        <div className="relative w-[240px] max-w-full max-md:w-full">
          <Search className="pointer-events-none absolute top-1/2 left-2.5 size-[15px] -translate-y-1/2 text-ink-3" />
          <input
            type="search"
            aria-label={words.search}
            placeholder={words.find(kinds.length)}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            className="h-8.5 w-full rounded-control border border-control bg-surface pr-2.5 pl-8 text-13 max-md:h-11 max-md:text-16"
          />
        </div>
      </header>
      {found.length === 0 && (
        <p role="status" className="text-13 text-ink-3">
          {words.nothing}
        </p>
      )}
      {[...Map.groupBy(found, ({ category }) => category)].map(([category, members]) => (
        <div key={category} className="grid gap-2">
          <h3 className="text-13 font-semibold text-ink-2">{words.categories[category] ?? category}</h3>
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(190px,1fr))] gap-2 max-md:grid-cols-2">
            {members.map((kind) => (
              <li key={kind.kind} className="grid">
                <KindCard kind={kind} project={project} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

/** Everybody has e-mail, so it comes first, with its category. All others are in order of their labels. */
const mailFirst = (one: ChannelKind, other: ChannelKind) =>
  Number(other.kind === 'email') - Number(one.kind === 'email') || one.label.localeCompare(other.label, 'en');

const CARD = 'flex items-center gap-2.5 rounded-[10px] border p-2.5 max-md:px-2';

function KindCard({ kind, project }: { readonly kind: ChannelKind; readonly project: string }) {
  const { kind: name, label, summary, missing } = kind;
  const content = (
    <>
      <KindTile kind={kind} isOff={missing !== null} />
      <span className="min-w-0">
        <b className="block font-medium">{label}</b>
        {missing === null ? (
          <span className="block text-12 wrap-anywhere text-ink-3">{summary}</span>
        ) : (
          // Some need seven settings. The page of the kind in the guide has them all.
          <span title={words.missing(missing)} className="line-clamp-2 text-12 wrap-anywhere text-ink-3">
            {words.missing(missing)}
          </span>
        )}
      </span>
    </>
  );
  if (missing !== null) return <div className={`${CARD} border-dashed border-line-2`}>{content}</div>;
  return (
    <Link
      to="/projects/$project/integrations/new/$kind/"
      params={{ project, kind: name }}
      className={`${CARD} border-line bg-surface hover:bg-sunken`}
    >
      {content}
    </Link>
  );
}
