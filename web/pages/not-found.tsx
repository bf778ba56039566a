import { Link } from '@tanstack/react-router';
import { m } from '../messages/index.ts';
import { Logo } from '../ui/logo.tsx';
import { MainPart } from '../ui/main-part.tsx';

/** One page for missing pages and for pages of others. */
export function NotFound() {
  return (
    <MainPart>
      <title>{m.title(m.notFound.title)}</title>
      <Logo />
      <h1 className="text-26">{m.notFound.title}</h1>
      <p className="text-14 text-balance text-ink-2">{m.notFound.lead}</p>
      <Link to="/" className="touch font-medium text-link">
        {m.notFound.home}
      </Link>
    </MainPart>
  );
}
