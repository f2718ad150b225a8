import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import helmet from 'helmet';
import { OpenApiDescription } from './openapi-description';

/** The page brings all it needs; its calls go to this service alone. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    // The page that @nestjs/swagger makes has style elements in it.
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/**
 * Shows the description at `/docs`. Before `init`: its routes go straight to Express, and must
 * stand before the route that catches everything.
 */
export function serveDocsPage(app: NestExpressApplication): void {
  const description = app.get(OpenApiDescription);
  description.describe(app);
  app.use('/docs', pagePolicy);
  SwaggerModule.setup('docs', app, () => description.document, {
    raw: false,
    customSiteTitle: 'Datagrid platform: public API',
    // No badge that asks a validator elsewhere.
    swaggerOptions: { validatorUrl: null, displayRequestDuration: true },
  });
}
