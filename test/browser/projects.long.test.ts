import '../long-form.ts';
import './projects.test.ts';
