import './every-look.ts';
import './projects.test.ts';
