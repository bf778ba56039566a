import { Link } from '@tanstack/react-router';
import { nextPath, withNext } from '../../app/next-path.ts';
import { m } from '../../messages/index.ts';

/** The person still gets to their page. `onBack` is for parts of the page for signing in: a link to the same page changes nothing. */
export function BackToSignIn({
  next = nextPath(location),
  onBack,
}: {
  readonly next?: string;
  readonly onBack?: () => void;
}) {
  return (
    <p className="text-12">
      <Link
        to="/accounts/login/"
        {...withNext(next)}
        className="touch font-medium text-link"
        onClick={onBack}
      >
        {m.back}
      </Link>
    </p>
  );
}
